// SPDX-License-Identifier: Apache-2.0
#include "shape.h"

namespace
{

class Square final : public Shape
{
  public:
    int area() const override
    {
        return 9;
    }
};

const Square the_square;

} // namespace

const Shape &square()
{
    return the_square;
}
