#pragma once
#include "money.hpp"

namespace shop {

class Base {
public:
    virtual ~Base() {}
    void note() {}
};

class Cart : public Base {
public:
    Cart(int n);
    int sum() const;
    static Cart make() { return Cart(1); }
private:
    Money money_;
};

}
