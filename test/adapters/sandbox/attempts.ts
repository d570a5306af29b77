// cspell:words cmdline conv nsenter noproxy nohup notrunc mkfifo
import { networkInterfaces } from "node:os";

/** Whether this machine has the loopback of IPv6. */
export const hasIpv6 = (): boolean =>
  Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === "::1"));

/** How an attempt would be seen outside. */
export type Effect =
  /** A file outside of the sandbox is new, gone, or has another content or mode. */
  | "changes"
  /** The output has the secret, or the command has printed it as it succeeded: PROOF is a part of it. */
  | "reads"
  /** A server outside received the mark of the attempt. */
  | "reaches"
  /** A process with the mark in its arguments runs after the command. */
  | "outlives"
  /** The process outside that it names has ended. */
  | "kills";

/** A command line that tries to leave the sandbox. Its variables name places outside. */
export interface Attempt {
  readonly does: string;
  readonly effect: Effect;
  readonly command: string;
  /** The reason why no test shows its effect without a sandbox. Absent: a test does. */
  readonly notShown?: string;
}

const HARMFUL = "it would change the system";
const NEEDS_SANDBOX = "it uses a part of the sandbox";
const NO_IPV6 = "this machine has no IPv6";
const NO_RIGHT = "it needs rights that commands may not have without a sandbox either";

/** A command that sends the mark. The server answers with the text that it received. */
const send = (options: string): string =>
  `node -e 'const s = net.connect(${options}, () => s.write(process.env.MARK)); s.on("error", () => {}).resume()'`;

const table = (
  effect: Effect,
  rows: readonly (readonly [string, string, (string | undefined)?])[],
): readonly Attempt[] =>
  rows.map(([does, command, notShown]) => ({
    ...{ does, effect, command },
    ...(notShown !== undefined && { notShown }),
  }));

export const ATTEMPTS: readonly Attempt[] = [
  ...table("changes", [
    ["creates a file beside the workspace", 'echo x > "$BESIDE/new"'],
    ["creates a file by ..", "echo x > ../beside/new"],
    ["replaces the content of a file", 'echo x > "$BESIDE/kept"'],
    ["appends to a file", 'echo x >> "$BESIDE/kept"'],
    ["edits a file in place", 'sed -i s/kept/lost/ "$BESIDE/kept"'],
    ["truncates a file", 'truncate -s 0 "$BESIDE/kept"'],
    ["writes by dd", 'echo x | dd of="$BESIDE/kept" conv=notrunc'],
    ["deletes a file", 'rm -f "$BESIDE/kept"'],
    ["moves a file into the workspace", 'mv "$BESIDE/kept" .'],
    ["moves a file out of the workspace", 'echo x > own; mv own "$BESIDE/"'],
    ["creates a folder", 'mkdir "$BESIDE/folder"'],
    ["creates a named pipe", 'mkfifo "$BESIDE/pipe"'],
    ["creates a link", 'ln -s / "$BESIDE/link"'],
    ["creates a repository", 'git init -q "$BESIDE/repository"'],
    ["makes a file executable", 'chmod 755 "$BESIDE/kept"'],
    ["installs a program with the rights of its owner", 'install -m 4755 /bin/true "$BESIDE/program"'],
    ["writes through a symbolic link to a file", 'ln -s "$BESIDE/kept" link; echo x > link'],
    ["writes through a symbolic link to a folder", 'ln -s "$BESIDE" link; echo x > link/new'],
    ["writes through a chain of links", "ln -s .. one; ln -s one/beside two; echo x > two/new"],
    ["writes through a hard link", 'ln "$BESIDE/kept" link; echo x > link'],
    ["writes through /proc/self/cwd", "echo x > /proc/self/cwd/../beside/new"],
    ["writes through /proc/self/root", 'echo x > "/proc/self/root$BESIDE/new"'],
    ["writes through the root of the first process", 'echo x > "/proc/1/root$BESIDE/new"', NO_RIGHT],
    ["writes through the root of a process outside", 'echo x > "/proc/$OUTER/root$BESIDE/new"'],
    ["writes through the folder of a process outside", 'echo x > "/proc/$OUTER/cwd/new"'],
    [
      "unpacks an archive with ..",
      "echo x > new; tar -cPf a.tar --transform s,^new,../beside/new, new; tar -xPf a.tar",
    ],
    ["writes from Node.js", `node -e 'fs.writeFileSync(process.env.BESIDE + "/new", "")'`],
    [
      "writes by a script of npm",
      `echo '{"scripts":{"x":"echo x > ../beside/new"}}' > package.json; npm run -s x`,
    ],
    [
      "writes by an install script of npm",
      `echo '{"scripts":{"preinstall":"echo x > ../beside/new"}}' > package.json; npm install --offline --no-audit`,
    ],
    [
      "writes by a hook of git",
      "git init -q r; cd r; printf '#!/bin/sh\\necho x > ../../beside/new\\n' > .git/hooks/post-checkout; chmod +x .git/hooks/post-checkout; git checkout -q -b b; git -c user.name=a -c user.email=a commit -q --allow-empty -m a; git checkout -q -b c",
    ],
    ["writes by an alias of git", "git -c 'alias.x=!echo x > \"$BESIDE/new\"' x"],
    [
      "writes by a monitor of git",
      "git init -q r; cd r; git -c 'core.fsmonitor=echo x > \"$BESIDE/new\"; false' status",
    ],
    ["writes without its environment", "env -i sh -c \"echo x > '$BESIDE/new'\""],
    ["writes in the background", '(echo x > "$BESIDE/new") & wait'],
    ["appends to ~/.bashrc", "echo x >> ~/.bashrc"],
    ["appends to ~/.profile, which is missing", "echo x >> ~/.profile"],
    ["adds a key to ~/.ssh", "echo x >> ~/.ssh/authorized_keys"],
    [
      "adds a program that starts with the session",
      "mkdir -p ~/.config/autostart; echo x > ~/.config/autostart/x.desktop",
    ],
    ["changes the settings of git of the user", "git config --global core.hooksPath /x"],
    ["replaces a hook of the workspace", "echo x > .git/hooks/pre-commit"],
    ["adds a hook to the workspace", "echo x > .git/hooks/post-commit"],
    ["names another folder of hooks", "git config core.hooksPath /x"],
    ["replaces the settings of git by a rename", "cp .git/config c; echo x >> c; mv -f c .git/config"],
    [
      "replaces the repository by a copy",
      "cp -r .git g; rm -rf .git; mv .git h; echo x > g/hooks/x; mv -T g .git",
    ],
    ["removes the hooks", "rm -rf .git/hooks; mkdir -p .git/hooks; rm -f .git/hooks/pre-commit"],
    ["adds the tasks of an editor, whose folder is missing", "mkdir -p .vscode; echo x > .vscode/tasks.json"],
    ["adds a link in place of the folder of an editor", 'ln -sn "$BESIDE" .vscode'],
    ["changes the hooks of an editor's own tool", "echo x > .husky/pre-commit"],
    ["changes what no command may write, in a new folder", "mkdir -p new/deep; echo x > new/deep/file"],
    ["writes to the temporary files of others", 'echo x > "$TEMPORARY"'],
    ["deletes the temporary files of others", 'rm -f "$TEMPORARY"'],
    ["writes to the shared memory of others", 'echo x > "$SHARED"'],
    ["mounts the folder for writing", 'mount -o remount,rw,bind / /; echo x > "$BESIDE/new"', HARMFUL],
    ["mounts the folder in the workspace", 'mkdir m; mount --bind "$BESIDE" m; echo x > m/new', HARMFUL],
    [
      "mounts in namespaces of its own",
      "unshare -Urm sh -c 'mount -o remount,rw /; echo x > \"$BESIDE/new\"'",
      NO_RIGHT,
    ],
    ["unmounts the hooks", "umount .git/hooks; echo x > .git/hooks/pre-commit", NEEDS_SANDBOX],
    [
      "enters the namespaces of a process outside",
      'nsenter -t "$OUTER" -m sh -c \'echo x > "$BESIDE/new"\'',
      NO_RIGHT,
    ],
    [
      "enters the root of a process outside",
      'chroot "/proc/$OUTER/root" sh -c \'echo x > "$BESIDE/new"\'',
      NO_RIGHT,
    ],
  ]),
  ...table("reads", [
    ["reads a key", "cat ~/.ssh/id"],
    ["copies the keys", "cp -r ~/.ssh keys; cat keys/id"],
    ["reads a key through a symbolic link", "ln -s ~/.ssh link; cat link/id"],
    ["reads a key through a hard link", "ln ~/.ssh/id link; cat link"],
    ["reads a key through /proc/self/root", 'cat "/proc/self/root$HOME/.ssh/id"'],
    ["reads a key through a process outside", 'cat "/proc/$OUTER/root$HOME/.ssh/id"'],
    ["reads a key after it unmounts what hides it", "umount ~/.ssh; cat ~/.ssh/id", NEEDS_SANDBOX],
    ["reads a key after it changes its mode", "chmod -R u+rwx ~/.ssh; cat ~/.ssh/id"],
    ["reads a denied file of the workspace", "cat .env"],
    ["reads a denied file by a program", 'node -p \'fs.readFileSync(".env", "utf8")\''],
    ["reads a denied file after it renames its folder", "mv private other; cat other/key"],
    ["searches for a secret", "grep -r secret- . ~"],
    ["reads the environment of a process outside", 'tr "\\0" "\\n" < "/proc/$OUTER/environ"'],
    ["reads the environments of all processes", "cat /proc/[0-9]*/environ"],
    ["reads the arguments of all processes", "cat /proc/*/cmdline"],
    ["reads a descriptor of a process outside", 'cat "/proc/$OUTER/fd/9"'],
    [
      "reads the memory of a process outside",
      `node -e 'const pid = process.env.OUTER; const [, from, to] = /^(\\w+)-(\\w+) .*\\[stack\\]$/m.exec(fs.readFileSync("/proc/" + pid + "/maps", "utf8")); const size = Number("0x" + to) - Number("0x" + from); const bytes = Buffer.alloc(size); fs.readSync(fs.openSync("/proc/" + pid + "/mem"), bytes, 0, size, Number("0x" + from)); console.log(bytes.toString("latin1"))'`,
      NO_RIGHT,
    ],
    [
      "opens a setting of the kernel for writing",
      ': >> /proc/sys/vm/swappiness && echo "secret-$PROOF"',
      NO_RIGHT,
    ],
    ["creates namespaces of its own", 'unshare -U true && echo "secret-$PROOF"', NO_RIGHT],
    ["reads the temporary files of others", 'cat "$TEMPORARY"'],
    ["reads the shared memory of others", 'cat "$SHARED"'],
  ]),
  ...table("reaches", [
    ["connects to a port of this machine", send('process.env.PORT, "127.0.0.1"')],
    ["connects by IPv6", send('process.env.PORT6, "::1"'), hasIpv6() ? undefined : NO_IPV6],
    ["connects to another address of this machine", send('process.env.PORT, "127.1.2.3"')],
    ["connects to the address of the network card", send("process.env.PORT, process.env.ADDRESS")],
    ["requests a host that no rule names", 'curl -s "http://localhost:$PORT/$MARK"'],
    ["requests it through the proxy", 'curl -s --noproxy "" -x "$http_proxy" "http://localhost:$PORT/$MARK"'],
    [
      "tunnels to it through the proxy",
      'curl -s --noproxy "" -px "$http_proxy" "http://127.0.0.1:$PORT/$MARK"',
    ],
    [
      "requests an allowed host whose address is private",
      'curl -s --noproxy "" -x "$http_proxy" "http://a.localhost:$PORT/$MARK"',
      NEEDS_SANDBOX,
    ],
    [
      "sends a datagram",
      `node -e 'const s = dgram.createSocket("udp4"); s.connect(process.env.UDP, "127.0.0.1", () => s.send(process.env.MARK)); s.on("message", () => s.close()).on("error", () => s.close())'`,
    ],
    [
      "asks a name server of its own",
      `node -e 'const r = new dns.Resolver({ tries: 1, timeout: 1000 }); r.setServers(["127.0.0.1:" + process.env.UDP]); r.resolve(process.env.MARK + ".test", () => {})'`,
    ],
    ["connects to a socket with a path", send("process.env.SOCKET")],
    ["connects to a socket in the workspace", send('"outer.sock"')],
    ["connects to a socket in the temporary folder", send("process.env.TEMPORARY_SOCKET")],
    ["connects to an abstract socket", send('"\\0" + process.env.ABSTRACT')],
    [
      "connects through a process outside",
      send('"/proc/" + process.env.OUTER + "/root" + process.env.SOCKET'),
    ],
  ]),
  ...table("outlives", [
    ["leaves a process in the background", '"$WAIT" "$MARK" > /dev/null 2>&1 &'],
    ["leaves a session of its own", 'setsid "$WAIT" "$MARK" > /dev/null 2>&1 &'],
    ["forks twice", '( ( "$WAIT" "$MARK" > /dev/null 2>&1 & ) & )'],
    ["ignores the hang-up", 'nohup "$WAIT" "$MARK" > /dev/null 2>&1 &'],
    ["leaves a session without its environment", 'env -i setsid "$WAIT" "$MARK" > /dev/null 2>&1 &'],
    [
      "detaches a process of Node.js",
      `node -e 'child_process.spawn(process.env.WAIT, [process.env.MARK], { detached: true, stdio: "ignore" }).unref()'`,
    ],
    [
      "leaves a process that ignores signals",
      '(trap "" TERM HUP INT; exec setsid "$WAIT" "$MARK" > /dev/null 2>&1) &',
    ],
  ]),
  ...table("kills", [
    ["terminates a process outside", 'kill "$OUTER"'],
    ["kills a process outside", 'kill -9 "$OUTER"'],
    ["kills the group of a process outside", 'kill -9 "-$OUTER"'],
    ["kills a process by its name", 'pkill -9 -f "$MARK-outer"'],
  ]),
];
