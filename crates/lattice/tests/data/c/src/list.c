#include "list.h"

struct list *list_new(void)
{
    return 0;
}

void list_each(struct list *l, int (*f)(int))
{
    f(1);
}
