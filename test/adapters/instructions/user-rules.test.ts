import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readUserRules } from "../../../adapters/index.ts";

describe("the user's rules", () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "config-"));
    file = path.join(folder, "AGENTS.md");
  });
  afterEach(() => rm(folder, { recursive: true }));

  test("are read from AGENTS.md in the folder, also if it is a symlink", async () => {
    expect(await readUserRules(folder)).toEqual([]);
    await writeFile(path.join(folder, "dotfile"), " Be brief.\n");
    await symlink("dotfile", file);
    expect(await readUserRules(folder)).toEqual([{ path: file, text: "Be brief.", cut: false }]);
  });

  test("may be missing, empty, or in no regular file", async () => {
    expect(await readUserRules(path.join(folder, "none"))).toEqual([]);
    await writeFile(file, " \n");
    expect(await readUserRules(folder)).toEqual([]);
    await rm(file);
    await mkdir(file);
    expect(await readUserRules(folder)).toEqual([]);
  });

  test("L14: are limited in size", async () => {
    await writeFile(file, "12345");
    expect(await readUserRules(folder, { fileBytes: 3 })).toEqual([{ path: file, text: "123", cut: true }]);
  });

  test("give the reason if they can't be read", async () => {
    await symlink("AGENTS.md", file);
    const [rule] = await readUserRules(folder);
    expect(rule?.text).toMatch(/^\(This file could not be read: .*ELOOP/);
  });
});
