require 'json'
require_relative 'money'

# Holds things.
module Shop
  class Cart < Base
    include Summing

    def initialize(name)
      @money = Money.new
      super()
    end

    def sum
      note('x')
      check
      @money.round(self.count)
    end

    def count = 1

    def self.make(name)
      cart = Cart.new(name)
      cart.sum
      cart
    end

    private

    def check
      JSON.parse('x')
    end
  end
end
