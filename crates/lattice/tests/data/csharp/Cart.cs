using System;
using Shop.Tools;

namespace Shop
{
    public class Cart : Base, ISummer
    {
        private readonly Money money = new Money();
        public Log Log { get; set; }

        public Cart(string name) : base(name) { }

        public int Sum()
        {
            Note("x");
            Log.Put("y");
            Console.WriteLine("z");
            return money.Round(this.Count());
        }

        private int Count() => 1;

        public static Cart Of(string name)
        {
            var cart = new Cart(name);
            cart.Sum();
            int Local() { return cart.Count(); }
            return Local() > 0 ? cart : null;
        }
    }

    public interface ISummer { int Sum(); }

    public struct Point { }

    enum Mode { Read }
}
