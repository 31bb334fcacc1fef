package shop

import (
	"fmt"

	m "example.org/shop/money"
)

// Cart holds things.
type Cart struct {
	store *Store
	Base
}

type Summer interface {
	Sum() int
}

func NewCart() *Cart {
	c := &Cart{store: &Store{}}
	return c
}

func (c *Cart) Sum() int {
	c.store.Save(m.Round(1))
	c.Note()
	return check(1)
}

func Run(s Summer, c *Cart) {
	fmt.Println(s.Sum(), c.Sum())
	go func() { NewCart() }()
}
