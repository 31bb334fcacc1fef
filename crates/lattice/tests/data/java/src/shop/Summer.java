package shop;

public interface Summer {
    int sum();
}
