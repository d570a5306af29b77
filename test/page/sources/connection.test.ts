import { expect, it } from "vitest";
import { type Connection, isLost, SharedConnection } from "../../../visualize/page/sources/connection.ts";

function watched() {
  const states: Connection[] = [];
  return { states, connection: new SharedConnection((state) => states.push(state)) };
}

const [list, trace] = [{}, {}];

it("the connection is lost while one of its streams is, and each change is reported once", () => {
  const { states, connection } = watched();
  connection.set(list, "connecting");
  connection.set(list, "connected");
  connection.set(trace, "connecting");
  connection.set(trace, "connected");
  connection.set(list, "lost");
  connection.set(trace, "lost");
  connection.set(list, "connected");
  connection.set(trace, "connected");
  expect(states).toEqual(["connecting", "connected", "lost", "connected"]);
});

it("a stream that the page closes has no part in the connection any longer", () => {
  const { states, connection } = watched();
  connection.set(list, "connected");
  connection.set(trace, "lost");
  connection.remove(trace);
  connection.remove(trace);
  expect(states).toEqual(["connected", "lost", "connected"]);
});

it("actions wait for a connection that is lost or refused, and for no other", () => {
  const states = ["connecting", "connected", "lost", "refused", undefined] as const;
  expect(states.filter(isLost)).toEqual(["lost", "refused"]);
});
