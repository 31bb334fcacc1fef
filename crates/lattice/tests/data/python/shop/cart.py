"""A cart."""
import os
from .money import Money, rounded as near
from . import tax
from shop.base import Base


class Cart(Base):
    """Holds things."""

    def __init__(self, name):
        self.total = Money(0)
        super().__init__()

    @property
    def sum(self):
        return near(self.total.amount())

    async def close(self):
        self.note("closed")
        tax.pay(self.sum)
        os.remove("x")


def checkout(
    cart: Cart,
    later=None,
):
    def inner():
        return Cart("x")

    cart.close()
    inner().close()
    later()
    return list(map(near, []))


run = lambda: checkout(None)
