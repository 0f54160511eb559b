// SPDX-License-Identifier: Apache-2.0
#ifndef SHAPE_H
#define SHAPE_H

class Shape
{
  public:
    virtual ~Shape() = default;
    virtual int area() const = 0;
};

const Shape &square();    // square.cc
const Shape &rectangle(); // rectangle.cxx

extern "C" int triple(int x); // triple.c

#endif
