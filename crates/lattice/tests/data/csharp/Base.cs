namespace Shop
{
    public abstract class Base
    {
        protected Base(string name) { }
        protected void Note(string text) { Cart.Of(text); }
    }
}
