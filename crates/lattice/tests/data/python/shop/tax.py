def pay(sum):
    pass
