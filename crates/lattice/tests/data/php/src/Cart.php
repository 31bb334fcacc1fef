<?php
namespace Shop;

use Shop\Tools\Money;
use function Shop\Tools\twice;

/** Holds things. */
class Cart extends Base implements Summer
{
    use Notes;

    private Money $money;

    public function __construct(private Log $log)
    {
        $this->money = new Money();
    }

    public function sum(): int
    {
        $this->log->put('x');
        self::check();
        $this->note('y');
        return $this->money->round(strlen('z'));
    }

    private static function check(): void {}
}

interface Summer { public function sum(): int; }

function run(Cart $cart): void
{
    $cart->sum();
    $other = new Cart(new Log());
    $other->sum();
    Cart::check();
}
