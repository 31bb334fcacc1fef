namespace Shop.Tools;

public record Money
{
    public int Round(int n) => n;
}

public class Log
{
    public void Put(string text) { }
}
