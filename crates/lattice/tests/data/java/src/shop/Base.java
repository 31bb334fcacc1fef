package shop;

abstract class Base {
    Base(String name) {}

    void note(String text) {
        Cart.of(text);
    }
}
