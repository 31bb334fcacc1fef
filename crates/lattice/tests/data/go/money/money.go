package money

func Round(n int) int {
	return n
}
