import type { ControlPoint } from "../../machines/tool-call/control.ts";
import type { PolicyMode } from "../metrics/run.ts";
import { monitorsAt, type Protocol } from "../protocol.ts";
import { type Chance, chancesOf, type Draw, drawsOf } from "./draw.ts";
import { Judging } from "./judging.ts";
import { type MeasuredScores, samplesOf } from "./measured-scores.ts";
import { classesOf } from "./score-class.ts";

/** A protocol with the classes that its monitors draw. */
export interface Model {
  readonly judging: Judging;
  /** The names of the classes of all monitors. */
  readonly classes: readonly string[];
  readonly chances: readonly Chance[];
  readonly draws: Readonly<Record<ControlPoint, Readonly<Record<PolicyMode, readonly Draw[]>>>>;
}

/** The model of a protocol with measured scores, whose classes have `refine` further cuts. */
export function modelOf(protocol: Protocol, measured: MeasuredScores, refine: number): Model {
  const { monitors, chances } = protocol;
  const classes = new Map(
    [...samplesOf(monitors, measured)].map(([name, samples]) => [
      name,
      classesOf(name, monitors[name]?.thresholds ?? [], samples, refine),
    ]),
  );
  const drawsAt = (point: ControlPoint): Model["draws"][ControlPoint] => {
    const asked = monitorsAt(monitors, point).map((name) => [name, classes.get(name) ?? []] as const);
    return { honest: drawsOf(asked, "honest"), attack: drawsOf(asked, "attack") };
  };
  return {
    judging: new Judging(protocol),
    classes: [...classes.values()].flat().map(({ name }) => name),
    chances: chancesOf(chances),
    draws: { response: drawsAt("response"), call: drawsAt("call"), result: drawsAt("result") },
  };
}
