// cspell:words nowait autofs dirhelper dtracehelper libinfo opendirectoryd subpath sysctl urandom
import fc from "fast-check";
import { describe, test as example, expect } from "vitest";
import { type Access, sortedAccesses, withDenied } from "../../../adapters/sandbox/accesses.ts";
import { seatbeltArguments, seatbeltProfile } from "../../../adapters/sandbox/seatbelt-profile.ts";
import { test } from "../../support/prop.ts";

const accesses = (...all: readonly (readonly [Access["level"], string])[]): readonly Access[] =>
  withDenied(sortedAccesses(all.map(([level, path]) => ({ level, path }))), []);

/** Names that would end a text, a rule or a line, or continue it. */
const name = fc
  .array(fc.constantFrom(..."\"'\\\n\r\t();#|$`=*?[] éab-".split(""), '")(allow default)("', "-D", "P=x"), {
    minLength: 1,
    maxLength: 8,
  })
  .map((parts) => parts.join(""))
  .filter((text) => text.trim() !== "");
const level = fc.constantFrom<Access["level"]>("none", "read", "write");
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => `/${names.join("/")}`);
const rules = fc.array(fc.tuple(level, path), { minLength: 1, maxLength: 8 });

describe("a profile of Seatbelt", () => {
  example("denies by default, and lets the longest path decide", () => {
    const { text, parameters } = seatbeltProfile(
      accesses(
        ["read", "/"],
        ["none", "/private/var"],
        ["write", "/private/var/a/project"],
        ["read", "/private/var/a/project/.git/hooks"],
      ),
      undefined,
    );
    expect(text).toBe(`(version 1)
(deny default)
(allow process-exec*)
(allow process-fork)
(allow process-info* (target same-sandbox))
(allow signal (target same-sandbox))
(allow sysctl-read)
(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo") (global-name "com.apple.system.opendirectoryd.membership") (global-name "com.apple.bsd.dirhelper"))
(allow file-map-executable)
(allow file-read*)
(deny file-write*)
(deny file-read* file-write* (subpath (param "PATH_0")))
(allow file-read* file-write* (subpath (param "PATH_1")))
(allow file-read* (subpath (param "PATH_2")))
(deny file-write* (subpath (param "PATH_2")))
(allow file-read-metadata (literal (param "PATH_3")))
(allow file-read-metadata (literal (param "PATH_0")))
(deny file-write-unlink (literal (param "PATH_1")))
(deny file-read-data file-write* (subpath "/dev"))
(allow file-read-data file-write-data (literal "/dev/null") (literal "/dev/zero") (literal "/dev/random") (literal "/dev/urandom") (literal "/dev/dtracehelper") (literal "/dev/autofs_nowait") (subpath "/dev/fd"))
`);
    expect(parameters).toEqual({
      PATH_0: "/private/var",
      PATH_1: "/private/var/a/project",
      PATH_2: "/private/var/a/project/.git/hooks",
      PATH_3: "/private/var/a",
    });
  });

  example("permits one port of the loopback, and nothing else of the network", () => {
    const { text } = seatbeltProfile(accesses(["read", "/"]), 4711);
    expect(text.split("\n").filter((line) => line.includes("network"))).toEqual([
      '(allow network-outbound (remote ip "localhost:4711"))',
    ]);
    expect(seatbeltProfile(accesses(["read", "/"]), undefined).text).not.toContain("network");
  });

  example("denies the rename of a folder that can be written and has a denied one in it", () => {
    const { text, parameters } = seatbeltProfile(
      [
        { path: "/w", level: "write" as const },
        { path: "/w/a", level: "write" as const },
      ],
      undefined,
    );
    expect(text).toContain('(deny file-write-unlink (literal (param "PATH_1")))');
    expect(parameters.PATH_1).toBe("/w/a");
  });

  test.prop([rules])("has no part of a path in its text, whatever characters the path has", (all) => {
    const { text } = seatbeltProfile(accesses(...all), undefined);
    const quoted = /"(?:PATH_\d+|\/dev(?:\/\w+)?|com\.apple\.[\w.]+)"/g;
    const rest = text.replaceAll(quoted, "Q");
    expect(rest).toMatch(
      /^(?:\([a-z]+(?: [a-z0-9*-]+)+(?: \([a-z-]+ (?:Q|same-sandbox|\(param Q\))\))*\)\n)+$/,
    );
  });

  test.prop([rules])("gets each path as one argument, as it is", (all) => {
    const given = accesses(...all);
    const profile = seatbeltProfile(given, undefined);
    const args = seatbeltArguments(profile);
    expect(args.slice(0, 2)).toEqual(["-p", profile.text]);
    expect(args.at(-1)).toBe("--");
    const values = args.slice(2, -1).filter((_, index) => index % 2 === 1);
    expect(args.slice(2, -1).filter((_, index) => index % 2 === 0)).toEqual(values.map(() => "-D"));
    const paths = values.map((value) => /^PATH_\d+=(.*)$/s.exec(value)?.[1]);
    expect(paths).toEqual(
      expect.arrayContaining(given.map(({ path: file }) => file).filter((file) => file !== "/")),
    );
    expect(new Set(paths).size).toBe(paths.length);
  });
});
