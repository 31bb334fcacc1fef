class Money:
    def __init__(self, n):
        self.n = n

    def amount(self):
        return rounded(self.n)


def rounded(n):
    return n
