import { z } from "zod";
import type { WakeUpChange } from "../../machines/tool-call/wake-up.ts";
import { defineTool } from "../define-tool.ts";
import { boundedDescriptor, PARTIAL_MAX_BYTES, textOf } from "../descriptor.ts";
import { neverRuns } from "./asks.ts";

const MINUTE_MS = 60_000;
const MESSAGE_MAX_CHARS = 20_000;
/** Ten years. */
const MAX_MINUTES = 5_256_000;

const minutes = z.number().positive().max(MAX_MINUTES);

const input = z
  .object({
    message: z
      .string()
      .min(1)
      .max(MESSAGE_MAX_CHARS)
      .describe("The message that you get then: what to do, and all that you must know for it."),
    at: z.iso
      .datetime({ offset: true, error: "expected a time such as 2026-01-31T09:00:00Z" })
      .nullish()
      .describe("The time of the wake-up, such as 2026-01-31T09:00:00Z."),
    after_minutes: minutes.nullish().describe("In place of at: minutes from now."),
    every_minutes: minutes
      .nullish()
      .describe("Minutes between one wake-up and the next. Without it there is one."),
  })
  .superRefine(({ at, after_minutes: after, every_minutes: every }, context) => {
    if (isGiven(at) && isGiven(after))
      context.addIssue({
        code: "custom",
        path: ["after_minutes"],
        message: "expected at or after_minutes, got both",
      });
    if (!isGiven(at) && !isGiven(after) && !isGiven(every))
      context.addIssue({
        code: "custom",
        path: ["at"],
        message: "expected at, after_minutes or every_minutes",
      });
  });

type Arguments = z.output<typeof input>;

/** Schedules a wake-up of the task. */
export const scheduleWakeUp = defineTool({
  name: "schedule_wakeup",
  displayName: "Schedule wake-up",
  group: "always",
  effect: "none",
  replayable: false,
  ask: "tool",
  description:
    "Schedules a wake-up: at a time, or at each interval, this task continues with your message, if it is at rest then. Use it to wait for something that takes long, or to do work again and again. End your turn afterwards.",
  inputSchema: input,
  partial: (raw) => {
    const message = textOf(raw, "message");
    return message === undefined
      ? undefined
      : boundedDescriptor({ tool: "scheduleWakeUp", message }, PARTIAL_MAX_BYTES);
  },
  describe: ({ message, at, after_minutes: afterMinutes, every_minutes: everyMinutes }) =>
    boundedDescriptor({
      tool: "scheduleWakeUp",
      message,
      at: at ?? undefined,
      afterMinutes: afterMinutes ?? undefined,
      everyMinutes: everyMinutes ?? undefined,
    }),
  changesWakeUps: (given) => changeOf(given),
  execute: neverRuns("schedule_wakeup", "applied by the task"),
});

const isGiven = (value: unknown): boolean => value !== null && value !== undefined;

const changeOf = ({ message, at, after_minutes: after, every_minutes: every }: Arguments): WakeUpChange => ({
  kind: "schedule",
  message: message.toWellFormed(),
  ...(typeof at === "string" && { at: Date.parse(at) }),
  ...(typeof after === "number" && { afterMs: Math.round(after * MINUTE_MS) }),
  ...(typeof every === "number" && { everyMs: Math.round(every * MINUTE_MS) }),
});
