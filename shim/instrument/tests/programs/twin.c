/* Half of a program in which two static functions have one name; and a library with a very short function. */
#ifdef SHARED
__asm__(".text\n.globl shared_tiny\n.type shared_tiny,@function\nshared_tiny: xor %eax,%eax\nret\n"
        ".size shared_tiny,.-shared_tiny\n.section .note.GNU-stack,\"\",@progbits\n");
#else
__attribute__((noinline, noclone)) static int twin(int n)
{
    __asm__ volatile("");
    return n;
}
int NAME(void) { return twin(NUMBER); }
#endif
