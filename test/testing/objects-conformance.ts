import { describe, test } from "vitest";
import { type ObjectsUnderTest, objectsConformance } from "../../testing/index.ts";

/** Define the conformance suite of objects as tests. */
export function conformanceOfObjects(name: string, under: ObjectsUnderTest): void {
  describe(`${name}, like all objects of a task,`, () => {
    for (const { title, run } of objectsConformance(under)) test(title, run);
  });
}
