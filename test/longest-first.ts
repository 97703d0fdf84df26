import { BaseSequencer, type TestSpecification } from "vitest/node";
import { LONGEST } from "./tiers.ts";

const PROJECTS = ["alone", "long", "unit"];

/** Project by project, as workers are kept within one, and in each the longest files first. */
export class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification) => {
      const rank = LONGEST.findIndex((place) => moduleId.includes(`/${place}`));
      return rank < 0 ? LONGEST.length : rank;
    };
    const placeOf = ({ project }: TestSpecification) => PROJECTS.indexOf(project.name);
    return (await super.sort(specifications)).toSorted((a, b) => placeOf(a) - placeOf(b) || rankOf(a) - rankOf(b));
  }
}
