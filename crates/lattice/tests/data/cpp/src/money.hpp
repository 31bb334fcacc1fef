struct Money {
    template <typename T>
    T round(T n) { return n; }
};
