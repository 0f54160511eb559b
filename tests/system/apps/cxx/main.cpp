// SPDX-License-Identifier: Apache-2.0
//: A small application in C++ and C: objects with static storage, virtual functions,
//: templates, one checked GEMM.
//: FOO=       a number that is printed (0)
#include <stdio.h>
#include <stdlib.h>

#include "fp8rt/trial.h"
#include "shape.h"

namespace
{

// Constructed before main and destroyed after it.
class Witness
{
  public:
    Witness() : value_(42) {}
    ~Witness()
    {
        printf("destroyed %d\n", value_);
    }
    int value() const
    {
        return value_;
    }

  private:
    int value_;
};

Witness witness;

template <typename T, size_t N>
T sum(const T (&values)[N])
{
    T total = 0;
    for (T value : values) {
        total += value;
    }
    return total;
}

fp8rt_device dev;

bool gemm_is_right()
{
    const fp8rt_trial trial = {.m = 9,
                               .n = 17,
                               .k = 20,
                               .d_format = FP8MAC_FP32,
                               .acc_format = fp8rt_element_accumulator(&dev.caps.element),
                               .seed = 7};
    const fp8rt_trial_outcome outcome = fp8rt_trial_run(&dev, &trial, fp8rt_app_arena());
    return fp8rt_trial_passed(&outcome);
}

} // namespace

int main(int argc, char **argv)
{
    const char *foo = fp8rt_app_option(argc, argv, "FOO");
    const int values[] = {1, 2, 3, 4};
    printf("FOO=%s constructed %d sum %d\n", foo == nullptr ? "0" : foo, witness.value(),
           sum(values));
    printf("areas %d %d, three times two is %d\n", square().area(), rectangle().area(), triple(2));
    if (fp8rt_device_open(&dev, &fp8rt_app_port) != FP8RT_OK || !gemm_is_right()) {
        printf("the GEMM is wrong\n");
        return EXIT_FAILURE;
    }
    printf("the GEMM is right\n");
    return EXIT_SUCCESS;
}
