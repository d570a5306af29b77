import { expect, test } from "vitest";
import { stepsOf } from "../../../../visualize/trace/transcripts/order.ts";
import type { TranscriptEntry } from "../../../../visualize/trace/transcripts/transcript.ts";

test("200,000 records that no reader interprets come before the entry after them", () => {
  const raws = Array.from(
    { length: 200_000 },
    (_, at): TranscriptEntry => ({ kind: "raw", at, type: "progress", json: "{}" }),
  );
  const steps = stepsOf([...raws, { kind: "text", at: 200_000, text: "Done." }]);
  expect(steps).toHaveLength(200_001);
  expect(steps.at(-1)).toMatchObject({ kind: "text" });
});
