class Money
  def round(n)
    n
  end
end

class Base
  def note(text)
    Shop::Cart.make(text)
  end
end

def helper
  Money.new
end
