#include "CLedgerSystem.h"

#include <signal.h>
#include <stdatomic.h>

static atomic_bool came;

static void note(int signal) {
  (void)signal;
  atomic_store(&came, true);
}

void cledger_note_signal(int signal) {
  struct sigaction action = {0};
  action.sa_handler = note;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, NULL);
}

bool cledger_signal_came(void) { return atomic_load(&came); }
