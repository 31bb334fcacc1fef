package shop

type Store struct{}

func (s *Store) Save(n int) {}

type Base struct{}

func (b Base) Note() {}

func check(n int) int { return n }
