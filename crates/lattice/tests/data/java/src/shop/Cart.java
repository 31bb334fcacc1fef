package shop;

import java.util.List;
import shop.money.Money;

/** Holds things. */
public class Cart extends Base implements Summer {
    private final Money money = new Money();
    private List<String> names;

    public Cart(String name) {
        super(name);
    }

    @Override
    public int sum() {
        note("sum");
        names.add("x");
        return money.round(this.count());
    }

    private int count() {
        return 1;
    }

    static Cart of(String name) {
        Cart cart = new Cart(name);
        cart.sum();
        return cart;
    }

    enum Mode { READ }
}
