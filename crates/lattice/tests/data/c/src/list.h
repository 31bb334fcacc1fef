#ifndef LIST_H
#define LIST_H
struct list {
    void (*free)(struct list *);
};
struct list *list_new(void);
void list_each(struct list *l, int (*f)(int));
#endif
