// SPDX-License-Identifier: Apache-2.0
#include "shape.h"

namespace
{

class Rectangle final : public Shape
{
  public:
    int area() const override
    {
        return 10;
    }
};

const Rectangle the_rectangle;

} // namespace

const Shape &rectangle()
{
    return the_rectangle;
}
