// SPDX-License-Identifier: Apache-2.0
//: A recursion that needs about KB kilobytes of stack.
//: KB=  kilobytes (8)
#include <stdio.h>
#include <stdlib.h>

#include "fp8rt/app.h"

static unsigned go_down(unsigned kilobytes, volatile unsigned char *above)
{
    volatile unsigned char frame[1000];
    frame[0] = (unsigned char)(above[0] + 1u);
    frame[999] = (unsigned char)kilobytes;
    if (kilobytes > 1) {
        return go_down(kilobytes - 1u, frame) + frame[999];
    }
    return frame[0];
}

int main(int argc, char **argv)
{
    const char *kilobytes = fp8rt_app_option(argc, argv, "KB");
    unsigned char top[1] = {0};
    printf("came back with %u\n", go_down(kilobytes == NULL ? 8u : (unsigned)atoi(kilobytes), top));
    return 0;
}
