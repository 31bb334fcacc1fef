#include "cart.hpp"

namespace shop {

Cart::Cart(int n) {}

int Cart::sum() const {
    note();
    return money_.round<int>(twice(1));
}

template <typename T>
T twice(T t) {
    return t;
}

int run(const Cart &cart, Cart *other) {
    auto made = new Cart(2);
    std::sort(1, 2);
    Cart::make();
    return cart.sum() + other->sum() + made->sum();
}

}
