/** Passkeys in Chromium, with its virtual authenticator: added, used to sign in and before a step that needs a recent sign-in, and removed. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { CDPSession, Page } from 'playwright-core';
import { attestRecord } from '../../src/operations/verification/attest-record.ts';
import { OWNER } from '../support/actor.ts';
import { needsBrowser, newPerson } from '../support/console/browser.ts';
import { openScene, type Scene } from '../support/console/console-scene.ts';
import { PASSWORD, signedInOperator } from '../support/operator-client.ts';

const scene = needsBrowser.skip ? undefined : await openScene();
const { service, browser, client, partner } = (scene ?? {}) as Scene;
if (scene) after(() => assert.deepEqual(browser.offences, []));

/** A device with a finger that is always right. It has the passkeys of another page's device where one is given. */
async function addAuthenticator(page: Page, from?: { readonly session: CDPSession; readonly authenticatorId: string }) {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const options = {
    protocol: 'ctap2' as const,
    transport: 'internal' as const,
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    automaticPresenceSimulation: true,
  };
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', { options });
  const had = await from?.session.send('WebAuthn.getCredentials', { authenticatorId: from.authenticatorId });
  for (const credential of had?.credentials ?? []) await session.send('WebAuthn.addCredential', { authenticatorId, credential });
  return {
    session,
    authenticatorId,
    turnAway: () => session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false }),
  };
}

/** As when the sign-in was eleven minutes ago. */
async function ageSessions() {
  const { rows } = await service.database.pool.query(
    `update operator_credential set created_at = created_at - interval '11 minutes' where kind = 'session' and ended_at is null
      returning operator_id`,
  );
  for (const { operator_id: id } of rows)
    await attestRecord(service.database, OWNER, { kind: 'operator', id, reason: 'aged by a test' });
}

async function age(page: Page) {
  await ageSessions();
  await page.reload();
}

const openAccount = async (page: Page) => {
  await page.goto(`${browser.baseUrl}/account`);
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
};

async function addPasskey(page: Page, name: string) {
  await openAccount(page);
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name of the passkey').fill(name);
  await dialog.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByRole('table', { name: 'Passkeys' }).getByText(name).waitFor();
}

/** The page of an adjustment that waits for its approval. */
async function openDraft(page: Page) {
  const { body } = await client.confirm({ points: 150 });
  const operator = await signedInOperator(service, 'operator');
  const drafted = await operator.postOnce('/operator/v1/adjustments', {
    partner_id: partner.partnerId,
    transaction_id: body.contribution.transaction_id,
    reason_code: 'other',
    points_delta: '-45',
    reason_en: 'x',
    reason_ar: 'س',
  });
  assert.equal(drafted.status, 200, drafted.text);
  await page.goto(`${browser.baseUrl}/adjustments/${partner.partnerId}/${drafted.body.adjustment.adjustment_id}`);
  await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
}

async function approve(page: Page) {
  await page.getByRole('button', { name: 'Approve', exact: true }).click();
  await page.getByRole('dialog', { name: 'Approve' }).getByRole('button', { name: 'Approve', exact: true }).click();
  const again = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await again.waitFor();
  return again;
}

describe('passkeys', needsBrowser, () => {
  test('one is added, signs in without a password, confirms a step, and no longer signs in once it is removed', async () => {
    const page = await browser.signedIn('admin');
    const { turnAway } = await addAuthenticator(page);
    await addPasskey(page, 'Laptop of the admin');
    const { rows } = await service.database.pool.query(
      "select verifier::json ->> 'rp_id' as host from operator_credential where kind = 'passkey' and ended_at is null",
    );
    assert.deepEqual(rows, [{ host: 'localhost' }]);

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();

    await age(page);
    await openAccount(page);
    await page.getByRole('button', { name: 'Remove: Laptop of the admin' }).click();
    const removal = page.getByRole('dialog', { name: 'Remove' });
    await removal.getByText('This passkey no longer signs in. Your password still does.', { exact: true }).waitFor();
    await removal.getByRole('button', { name: 'Remove' }).click();
    const again = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await again.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('The passkey is removed.').waitFor();
    await page.getByRole('table', { name: 'Passkeys' }).waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('alert').getByText('This passkey does not sign in here').waitFor();
    await turnAway();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('alert').getByText('No passkey was given.').waitFor();
  });

  test('the one-time link takes one instead of a password, which then confirms a step and is not removed', async () => {
    const { code, operatorId } = await newPerson(service, 'admin');
    const page = await browser.open();
    await addAuthenticator(page);
    await page.goto(`${browser.baseUrl}/sign-in#${code}`);
    await page.getByRole('heading', { name: 'Choose how you sign in' }).waitFor();
    await page.getByRole('button', { name: 'Use a passkey instead' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    assert.equal(new URL(page.url()).pathname, '/');
    const { rows } = await service.database.pool.query(
      "select kind from operator_credential where operator_id = $1 and ended_at is null and kind <> 'session'",
      [operatorId],
    );
    assert.deepEqual(rows, [{ kind: 'passkey' }]);

    await age(page);
    await openAccount(page);
    await page.getByText('You have no password: you sign in with a passkey.').waitFor();
    await page.getByRole('button', { name: 'Remove: Passkey of the one-time link' }).click();
    const removal = page.getByRole('dialog', { name: 'Remove' });
    await removal.getByText('This passkey no longer signs in.', { exact: true }).waitFor();
    await removal.getByRole('button', { name: 'Remove' }).click();
    const again = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await again.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('You have no password, so nothing else signs you in.').waitFor();
    assert.equal(await again.locator('input[type=password]').count(), 0);

    await page.goto(`${browser.baseUrl}/account`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  test('a passkey that another window added approves money, beside the password', async () => {
    const page = await browser.signedIn('approver');
    await openDraft(page);
    const other = await page.context().newPage();
    const device = await addAuthenticator(other);
    await addPasskey(other, 'Key of the approver');
    await addAuthenticator(page, device);
    await ageSessions();
    const again = await approve(page);
    // Sooner than the page reads the session by itself.
    await again.getByText('Give your password or your passkey again').waitFor({ timeout: 5_000 });
    assert.equal(await again.locator('input[type=password]').count(), 1);
    await again.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('button', { name: 'Post', exact: true }).waitFor();
  });

  test('who has none is asked for the password alone', async () => {
    const page = await browser.signedIn('approver');
    await openDraft(page);
    await ageSessions();
    const again = await approve(page);
    await again.getByText('Give your password again; your change is then sent.').waitFor();
    await page.waitForLoadState('networkidle');
    assert.equal(await again.getByText('passkey').count(), 0);
    await again.locator('input[type=password]').fill(PASSWORD);
    await again.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Post', exact: true }).waitFor();
  });
});
