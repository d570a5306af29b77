// cspell:words bwrap caffeinate chrt entr fakeroot firejail ltrace nsenter numactl pkexec prlimit runuser setarch setpriv
// cspell:words taskset tcsh toybox xonsh
/** Programs that run the command after their options. */
const WRAPPERS: ReadonlySet<string> = new Set([
  ...["sudo", "doas", "command", "builtin", "exec", "env", "nohup", "nice", "stdbuf", "setsid", "xargs"],
  ...["busybox", "toybox", "time", "unshare", "strace", "ltrace", "fakeroot", "pkexec", "systemd-run"],
  ...["unbuffer", "caffeinate", "setpriv", "bwrap", "firejail", "xvfb-run", "dbus-run-session"],
]);

/** Wrappers that have other operands before the command, or whose command is the argument of an option. */
export const WRAPPERS_WITH_OPERANDS: ReadonlySet<string> = new Set([
  ...["timeout", "chroot", "ionice", "taskset", "chrt", "flock", "su", "runuser", "script", "ssh", "nsenter"],
  ...["watch", "entr", "setarch", "prlimit", "numactl", "parallel"],
]);

/** The name of a program that is named by its path, in lower case, without `.exe`. */
export function programName(program: string): string {
  const [name = ""] = program.split(/[\\/]/).slice(-1);
  return name.toLowerCase().replace(/\.exe$/, "");
}

export const isWrapper = (program: string): boolean =>
  WRAPPERS.has(program) || WRAPPERS_WITH_OPERANDS.has(program);

/** Shells whose command lines are judged. */
export const POSIX_SHELLS: ReadonlySet<string> = new Set(["sh", "ash", "bash", "dash", "ksh"]);

export const DEFAULT_SHELL = "/bin/sh";

/** Whether this program, named by its path, is a shell whose command lines are judged. */
export const isPosixShell = (program: string): boolean => POSIX_SHELLS.has(programName(program));

/** Shells with another syntax. */
export const OTHER_SHELLS: ReadonlySet<string> = new Set([
  ...["zsh", "fish", "csh", "tcsh", "nu", "elvish", "xonsh", "rc", "es", "pwsh", "powershell", "cmd"],
]);

/** Keywords and builtins that are not judged: they change what later commands mean, or run what they are given. */
export const NOT_JUDGED: ReadonlySet<string> = new Set([
  ...["case", "esac", "select", "function", "coproc", "[[", "source", ".", "alias", "trap", "let", "hash"],
  ...["enable", "bind", "complete", "compgen", "mapfile", "readarray", "fc"],
]);

/** A variable that decides what commands run: where programs and libraries are found, or what a shell runs by itself. */
export const CODE_VARIABLE =
  /^(PATH|BASH_ENV|PS[0-4]|PROMPT_COMMAND|SHELLOPTS|BASHOPTS|LD_\w+|DYLD_\w+)(\+?=|$)|^BASH_FUNC_/;
