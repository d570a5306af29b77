import { fc, test } from "@fast-check/vitest";
import { expect } from "vitest";
import { type AnyMachineSnapshot, initialTransition, transition } from "xstate";
import { type ClaimEvent, claimMachine } from "../../../machines/ownership/claim.machine.ts";
import { type InboxEvent, inboxMachine } from "../../../machines/ownership/inbox.machine.ts";
import { transitionsOf } from "../../../machines/ownership/transitions.ts";

const small = fc.integer({ min: 0, max: 3 });

const claimEvent: fc.Arbitrary<ClaimEvent> = fc.oneof(
  fc.constantFrom<ClaimEvent>(
    { type: "claim.sent" },
    { type: "appended" },
    { type: "refused" },
    { type: "fenced" },
    { type: "changed" },
    { type: "unanswered" },
    { type: "lost" },
  ),
  fc.record({ type: fc.constant("claimed" as const), epoch: small, length: small }),
  fc.record({ type: fc.constant("append.sent" as const), bytes: small }),
);

const inboxEvent: fc.Arbitrary<InboxEvent> = fc.oneof(
  fc.constantFrom<InboxEvent>(
    { type: "added" },
    { type: "written" },
    { type: "taken" },
    { type: "removed" },
    { type: "failed" },
    { type: "retry.due" },
    { type: "stopped" },
  ),
  fc.uniqueArray(small, { maxLength: 3 }).map(
    (positions): InboxEvent => ({
      type: "read",
      commands: positions.toSorted().map((position) => ({ position })),
    }),
  ),
);

/** The value, context and status of a snapshot, and the types of the actions. */
const shown = <TSnapshot extends AnyMachineSnapshot>([{ value, context, status }, actions]: readonly [
  TSnapshot,
  readonly { readonly type: string }[],
]) => ({ value, context, status, actions: actions.map(({ type }) => type) });

const claimTransition = transitionsOf(claimMachine);
const inboxTransition = transitionsOf(inboxMachine, { taken: 0 });

test.prop([fc.array(claimEvent, { maxLength: 12 })])(
  "a claim has the transitions that XState computes",
  (events) => {
    let state = initialTransition(claimMachine)[0];
    for (const event of events) {
      const found = claimTransition(state, event);
      expect(shown(found)).toEqual(shown(transition(claimMachine, state, event)));
      [state] = found;
    }
  },
);

test.prop([fc.array(inboxEvent, { maxLength: 12 }), small])(
  "a delivery has the transitions and actions that XState computes, whatever its own input is",
  (events, taken) => {
    let state = initialTransition(inboxMachine, { taken })[0];
    for (const event of events) {
      const found = inboxTransition(state, event);
      expect(shown(found)).toEqual(shown(transition(inboxMachine, state, event)));
      [state] = found;
    }
  },
);
