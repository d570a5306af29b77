import { expect, test } from "vitest";
import { formatListenWarning } from "../../cli/listen-warning.ts";

test.each(["localhost", "::1", "127.0.0.1", "127.1.2.3"])("%s has no warning", (address) => {
  expect(formatListenWarning(address)).toBe("");
});

test.each(["0.0.0.0", "::", "10.0.0.7", "worker-1"])("%s has a warning that names it", (address) => {
  expect(formatListenWarning(address)).toBe(
    `Warning: anyone who can reach ${address} and has the token can run commands on this machine.\n`,
  );
});
