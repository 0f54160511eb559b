// SPDX-License-Identifier: Apache-2.0
int triple(int x);

int triple(int x)
{
    return 3 * x;
}
