// A program with this module has a clock that is wrong: its wall clock is ahead by as many seconds as the variable
// WORKER_CLOCK_SHIFT says, or behind by a negative number. There is nothing to call.
