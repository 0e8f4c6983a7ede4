import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { useTexts } from '../../texts/language.tsx';
import { ADJUSTMENT } from './adjustment-texts.ts';

type Endpoint = components['schemas']['ListedEndpoint'];

/** The endpoints that are read. Of a partner with more endpoints the page does not know whether one receives the event. */
const ENDPOINTS_MAX = 200;
/** What is published where an adjustment is posted. */
const ADJUSTED = 'impact.transaction.adjusted';

const getsIt = ({ event_types: types }: Endpoint) => types.length === 0 || types.includes(ADJUSTED);

/** Says so where no endpoint of the partner gets the event of a posted adjustment. */
export function NoReceiver({ partnerId }: { readonly partnerId: string }) {
  const { noReceiver } = useTexts(ADJUSTMENT);
  const query = { partner_id: partnerId, limit: ENDPOINTS_MAX };
  const { data } = useQuery({
    queryKey: ['endpoints', 'of-partner', query],
    queryFn: () => answerOf(client.GET('/operator/v1/endpoints', { params: { query } })),
  });
  if (!data || data.has_more || data.endpoints.some(getsIt)) return null;
  return <Text size="sm">{noReceiver}</Text>;
}
