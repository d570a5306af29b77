import path from "node:path";
import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { Job } from "kubernetes-models/batch/v1/Job";
import { PersistentVolumeClaim } from "kubernetes-models/v1/PersistentVolumeClaim";
import { Service } from "kubernetes-models/v1/Service";
import ts from "typescript";
import { z } from "zod";
import { root } from "./program.ts";

/** The types of objects, and the modules of their schemas. */
const KINDS = {
  Deployment: { module: "apps/v1/Deployment", create: () => new Deployment() },
  Job: { module: "batch/v1/Job", create: () => new Job() },
  PersistentVolumeClaim: { module: "v1/PersistentVolumeClaim", create: () => new PersistentVolumeClaim() },
  Service: { module: "v1/Service", create: () => new Service() },
} as const;

export const Manifest = z.looseObject({
  kind: z.enum(["Deployment", "Job", "PersistentVolumeClaim", "Service"]),
  metadata: z.object({ name: z.string() }),
});
export type Manifest = z.output<typeof Manifest>;

/** The error of an object by the JSON schema of its type; undefined if it is valid. */
export function schemaError(manifest: Manifest): string | undefined {
  const model = Object.assign(KINDS[manifest.kind].create(), manifest);
  try {
    model.validate();
    return undefined;
  } catch (error) {
    return String(error);
  }
}

/** The errors of objects by the types of Kubernetes: unlike its schemas, they have no unknown fields. */
export function typeErrors(manifests: readonly Manifest[]): readonly string[] {
  const file = path.join(root, "test/examples-in-docs/manifests.mts");
  const text = manifests
    .map((manifest, index) => {
      const { module } = KINDS[manifest.kind];
      const type = `import("kubernetes-models/${module}").I${manifest.kind}`;
      return `export const manifest${index}: ${type} = ${JSON.stringify(manifest)};`;
    })
    .join("\n");
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => name === file || fileExists(name);
  host.getSourceFile = (name, version, ...rest) =>
    name === file ? ts.createSourceFile(name, text, version) : getSourceFile(name, version, ...rest);
  const diagnostics = ts.getPreEmitDiagnostics(ts.createProgram([file], options, host));
  return diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}
