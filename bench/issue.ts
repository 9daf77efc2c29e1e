import { createHotCampaign, issueBodies } from './hot-campaign.ts';
import { bodiesPerRun, connections, print, printRatio, rounds, runLoad, seconds } from './run-load.ts';
import { startBenchServer } from './server.ts';

/** Issue on one hot campaign: the server as it is, against the same with batches of one. */
export async function issueHotCampaign(socketDir: string): Promise<void> {
  console.log(
    `Issue, one hot campaign, ${connections} connections, ${rounds} rounds of ${seconds} s each, alternating`,
  );
  const batched = await startBenchServer(socketDir, 'batched', {});
  const single = await startBenchServer(socketDir, 'single', { LANE_BATCH: '1' });
  try {
    await createHotCampaign(batched);
    await createHotCampaign(single);
    const rates: { batched: number[]; single: number[] } = { batched: [], single: [] };
    for (let round = 0; round < rounds; round++) {
      const one = await runLoad(single, 'Issue', issueBodies(bodiesPerRun));
      print('batches of one', one);
      rates.single.push(one.perSecond);
      const many = await runLoad(batched, 'Issue', issueBodies(bodiesPerRun));
      print('batches', many);
      rates.batched.push(many.perSecond);
    }
    printRatio('Batches', rates.batched, 'batches of one', rates.single);
  } finally {
    await batched.stop();
    await single.stop();
  }
}
