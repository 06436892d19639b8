"""Completion of berth in real shells: what stands on the line after TAB was pressed.

A shell runs in a terminal of its own. A key is bound to print the line, so that nothing has to be read off a screen.
"""

import os
import pty
import re
import select
import signal
import subprocess
import time

SECONDS_MAX = 20

# What each shell reads before the first line; {prefix} is the folder to which berth is installed.
BASH = """PS1=; HISTFILE=
bind 'set enable-bracketed-paste off'
bind 'set bell-style none'
source {prefix}/share/bash-completion/completions/berth
bind -x '"\\C-g": printf "<<%s>>" "$READLINE_LINE"'
printf '<<%s>>' ready
"""
ZSH = """PS1= PROMPT_EOL_MARK= HISTFILE=
fpath=({prefix}/share/zsh/site-functions $fpath)
unsetopt zle_bracketed_paste beep prompt_cr 2>/dev/null; unset zle_bracketed_paste
autoload -Uz compinit && compinit -u -d {home}/zcompdump
show() {{ printf '<<%s>>' "$BUFFER" }}
zle -N show
bindkey '^G' show
printf '<<%s>>' ready
"""


class Unanswered(Exception):
    """A shell complains, or prints nothing."""


class Shell:
    """An interactive shell in a folder, with berth in its path."""

    def __init__(self, command, folder, environment):
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, environment)
        self.text = ""
        self.shown()

    def shown(self):
        """What the shell prints next between the marks."""
        end = time.monotonic() + SECONDS_MAX
        while not (found := re.search(r"<<(.*?)>>", self.text, re.DOTALL)):
            if not select.select([self.terminal], [], [], max(0, end - time.monotonic()))[0]:
                raise Unanswered(f"no answer after {self.text!r}")
            self.text += os.read(self.terminal, 65536).decode(errors="replace")
        self.text = self.text[found.end():]
        return found.group(1)

    def after_tab(self, line):
        """The line into which TAB completes this one; the shell then discards it."""
        os.write(self.terminal, f"\x15{line}\t\x07".encode())
        return self.shown()

    def close(self):
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.terminal)


class Fish:
    """Asks fish, without a terminal, for the completions of a line's last word."""

    def __init__(self, folder, environment):
        self.folder = folder
        self.environment = environment

    def after_tab(self, line):
        asked = subprocess.run(["fish", "-c", "complete -C $argv[1]", line], cwd=self.folder, env=self.environment,
                               text=True, capture_output=True, timeout=SECONDS_MAX)
        if asked.returncode != 0 or asked.stderr:
            raise Unanswered(asked.stderr)
        return [answer.split("\t")[0] for answer in asked.stdout.splitlines()]

    def close(self):
        pass


def start(name, prefix, folder, home):
    """Starts a shell with no settings except berth's installed completion."""
    environment = {"HOME": home, "LC_ALL": "C.UTF-8", "TERM": "dumb", "COLUMNS": "200", "ZDOTDIR": home,
                   "PATH": f"{prefix}/bin:{os.environ['PATH']}", "XDG_DATA_DIRS": f"{prefix}/share"}
    if name == "fish":
        return Fish(folder, environment)
    file = os.path.join(home, ".zshrc" if name == "zsh" else "bashrc")
    with open(file, "w", encoding="utf-8") as out:
        out.write((ZSH if name == "zsh" else BASH).format(prefix=prefix, home=home))
    command = ["zsh", "-i", "-d"] if name == "zsh" else ["bash", "--noprofile", "--rcfile", file, "-i"]
    return Shell(command, folder, environment)
