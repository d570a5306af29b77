import { execFileSync, spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { checkPackage, Package } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { doors } from "../examples-in-docs/program.ts";

const MAX_BYTES = 8_400_000;
const MAX_FILES = 1_400;
const SLOW_MS = 300_000;

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), "signalbox-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Packed {
  readonly filename: string;
  readonly version: string;
  readonly unpackedSize: number;
  readonly entryCount: number;
  readonly files: readonly { readonly path: string }[];
}
let packed: Packed;
let tarball: string;
/** A project with the packed package and its dependencies installed. */
const project = path.join(folder, "project");
const installedIn = path.join(project, "node_modules/signalbox");

beforeAll(() => {
  const output = execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  packed = JSON.parse(output)[0];
  tarball = path.join(folder, packed.filename);
  mkdirSync(installedIn, { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "-C", installedIn, "--strip-components=1"]);
  for (const name of readdirSync(path.join(root, "node_modules")))
    if (!name.startsWith(".") && name !== "signalbox")
      symlinkSync(path.join(root, "node_modules", name), path.join(project, "node_modules", name));
}, SLOW_MS);

describe("the packed tarball", () => {
  test(`has at most ${MAX_FILES} files and ${MAX_BYTES / 1e6} MB, and the page once`, () => {
    console.log(`${packed.entryCount} files, ${(packed.unpackedSize / 1e6).toFixed(2)} MB`);
    expect(packed.entryCount).toBeLessThanOrEqual(MAX_FILES);
    expect(packed.unpackedSize).toBeLessThanOrEqual(MAX_BYTES);
    const files = packed.files.map((file) => file.path);
    expect(files.filter((file) => file.endsWith(".map"))).toEqual([]);
    expect(files.filter((file) => /^dist\/page\/[^/]*\.js$/.test(file))).toEqual(["dist/page/embed.js"]);
    expect(files.some((file) => file.startsWith("examples/"))).toBe(true);
    expect(files.filter((file) => /^docs\/(?:\.vitepress|api)\//.test(file))).toEqual([]);
  });

  test(
    "passes publint",
    async () => {
      const { messages, pkg } = await publint({ pkgDir: installedIn, pack: false });
      expect(messages.map((message) => formatMessage(message, pkg ?? {}))).toEqual([]);
    },
    SLOW_MS,
  );

  test(
    "passes are-the-types-wrong, as a package of ES modules",
    async () => {
      const { types, problems } = await checked();
      expect(types).toBeTruthy();
      // `node10` knows no `exports`; a CommonJS program loads ES modules with `import()`.
      const real = problems.filter(
        (problem) => !("resolutionKind" in problem) || !/^node10$|^node16-cjs$/.test(problem.resolutionKind),
      );
      expect(real).toEqual([]);
    },
    SLOW_MS,
  );

  test("installs without a script", () => {
    const { scripts } = JSON.parse(readFileSync(path.join(installedIn, "package.json"), "utf8"));
    for (const name of ["preinstall", "install", "postinstall", "prepare"])
      expect(scripts).not.toHaveProperty(name);
  });
});

async function checked() {
  const base = "/node_modules/signalbox/";
  const contents = packed.files.map((file) => [
    `${base}${file.path}`,
    new Uint8Array(readFileSync(path.join(installedIn, file.path))),
  ]);
  const result = await checkPackage(new Package(Object.fromEntries(contents), "signalbox", packed.version), {
    excludeEntrypoints: ["./page.css", "./package.json"],
  });
  return "problems" in result ? result : { ...result, problems: [] };
}

describe.each(["5.4.5", "5.9.3", "6.0.3"])("its types under TypeScript %s", (version) => {
  test.each(["nodenext", "bundler"])(
    "compile with %s, without skipLibCheck",
    (resolution) => {
      const from = [...doors.keys()].map(
        (name, index) => `import * as entry${index} from "${name}"; entry${index};`,
      );
      writeFileSync(path.join(project, "main.ts"), `${from.join("\n")}\n`);
      writeFileSync(path.join(project, "package.json"), `{ "type": "module" }`);
      writeFileSync(
        path.join(project, "tsconfig.json"),
        JSON.stringify({
          compilerOptions: {
            target: "es2022",
            lib: ["es2023", "dom", "dom.iterable"],
            module: resolution === "bundler" ? "esnext" : "nodenext",
            moduleResolution: resolution,
            strict: true,
            skipLibCheck: false,
            noEmit: true,
            types: ["node"],
          },
          files: ["main.ts"],
        }),
      );
      const { status, stdout, stderr } = spawnSync(
        "npx",
        ["--yes", "--package", `typescript@${version}`, "tsc", "-p", project],
        { cwd: folder, encoding: "utf8" },
      );
      expect({ status, output: stdout.split("\n").slice(0, 20).join("\n") }, stderr).toEqual({
        status: 0,
        output: "",
      });
    },
    SLOW_MS,
  );
});
