# Reads names, one per line; writes the assembly of libmidrun-select.so (x86-64): each name is a jump through a slot.
# An unfilled slot leads to a call of midrun_select with its index, which leaves all registers of arguments as they were.
{ names[NR - 1] = $1 }
END {
  print "  .text"
  for (i = 0; i < NR; i++) {
    printf "  .globl %s\n  .type %s, @function\n%s:\nentry_%d:\n  endbr64\n", names[i], names[i], names[i], i
    printf "  jmp *midrun_select_slots + %d(%%rip)\n  .size %s, . - %s\n", 8 * i, names[i], names[i]
    printf "unfilled_%d:\n  endbr64\n  pushq $%d\n  jmp resolve\n", i, i
  }
  print "resolve:"
  print "  pushq %rbp"
  print "  movq %rsp, %rbp"
  print "  subq $200, %rsp"   # the stack is a multiple of 16 again
  split("rdi rsi rdx rcx r8 r9 rax", registers, " ")
  for (r = 1; r <= 7; r++) printf "  movq %%%s, %d(%%rsp)\n", registers[r], 8 * (r - 1)
  for (x = 0; x < 8; x++) printf "  movups %%xmm%d, %d(%%rsp)\n", x, 64 + 16 * x
  print "  movq 8(%rbp), %rdi"
  print "  call midrun_select"
  print "  movq %rax, %r11"
  for (r = 1; r <= 7; r++) printf "  movq %d(%%rsp), %%%s\n", 8 * (r - 1), registers[r]
  for (x = 0; x < 8; x++) printf "  movups %d(%%rsp), %%xmm%d\n", 64 + 16 * x, x
  print "  leave"
  print "  addq $8, %rsp"
  print "  jmp *%r11"
  print "  .section .data.rel.ro, \"aw\"\n  .balign 8"
  print "  .globl midrun_select_names, midrun_select_unfilled, midrun_select_entries"
  print "  .hidden midrun_select_names, midrun_select_unfilled, midrun_select_entries"
  print "midrun_select_names:"
  for (i = 0; i < NR; i++) printf "  .quad name_%d\n", i
  print "  .quad 0"
  print "midrun_select_unfilled:"
  for (i = 0; i < NR; i++) printf "  .quad unfilled_%d\n", i
  print "midrun_select_entries:"
  for (i = 0; i < NR; i++) printf "  .quad entry_%d\n", i
  print "  .data\n  .balign 8\n  .globl midrun_select_slots\n  .hidden midrun_select_slots"
  print "midrun_select_slots:"
  for (i = 0; i < NR; i++) printf "  .quad unfilled_%d\n", i
  print "  .section .rodata"
  for (i = 0; i < NR; i++) printf "name_%d: .string \"%s\"\n", i, names[i]
  print "  .section .note.GNU-stack, \"\", @progbits"
}
