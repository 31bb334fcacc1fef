#include <stdio.h>
#include "list.h"

#define TWICE(x) ((x) * 2)

enum mode { READ, WRITE };

static int helper(int n)
{
    return TWICE(n);
}

int main(int argc, char **argv)
{
    struct list *l = list_new();
    list_each(l, helper);
    l->free(l);
    printf("%d", helper(1));
    return 0;
}
