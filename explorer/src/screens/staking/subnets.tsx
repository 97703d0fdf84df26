/** All subnets, newest first. One request for each page. */
import { List } from "../../components/table.tsx";
import { Title } from "../../components/title.tsx";
import { useSubnets } from "./requests.ts";
import { CHAINS, CREATED, KIND, OWNER, SUBNET_ID } from "./subnet-columns.tsx";

export function Subnets() {
  return (
    <>
      <Title text="Subnets" />
      <section class="card">
        <List
          label="Subnets, newest first"
          of={useSubnets()}
          keyOf={({ subnetId }) => subnetId}
          empty="There is no subnet."
          columns={[SUBNET_ID, KIND, CHAINS, OWNER, CREATED]}
        />
      </section>
    </>
  );
}
