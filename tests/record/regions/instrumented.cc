// Functions that the compiler instruments: recursion, exceptions, a jump over frames.
#include <csetjmp>
#include <cstdio>
#include <stdexcept>

#define APART __attribute__((noinline))

static jmp_buf target;

static APART int fib(int n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

namespace shapes
{
struct Square {
    int side;
    APART int area(int scale) const
    {
        return side * side * scale;
    }
};
} // namespace shapes

static APART void fail(int depth)
{
    if (depth == 0)
        throw std::runtime_error("on purpose");
    fail(depth - 1);
}

static APART int attempt(int depth)
{
    try {
        fail(depth);
    } catch (const std::exception &) {
        return 1;
    }
    return 0;
}

static APART void jump(void)
{
    std::longjmp(target, 1);
}

static APART void land(void)
{
    if (setjmp(target) == 0)
        jump();
}

int main()
{
    int sum = fib(10);
    for (int i = 0; i < 5; i++)
        sum += shapes::Square{i}.area(2);
    for (int i = 0; i < 4; i++)
        sum += attempt(2);
    for (int i = 0; i < 3; i++)
        land();
    std::printf("%d\n", sum);
    return 0;
}
