"""A group's money from creation to settlement, with openapi-python-client."""

import io
import json
import pathlib

from demo import ALICE, API, BOB, UNKNOWN_GROUP, User
from fracti_client import AuthenticatedClient, models
from fracti_client.api.expenses import create_expense, edit_expense, list_expenses
from fracti_client.api.groups import create_group, get_group, join_group
from fracti_client.api.ledger import get_ledger_balance, list_ledger_entries
from fracti_client.api.settlements import create_settlement, get_debts, update_settlement
from fracti_client.api.transfer import import_file
from fracti_client.api.users import get_me
from fracti_client.types import UNSET, File


def client(user: User) -> AuthenticatedClient:
    return AuthenticatedClient(
        base_url=API, token=user.init_data, prefix="tma", raise_on_unexpected_status=True
    )


def data(response):
    """The data of a response that must have succeeded."""
    assert response is not None and response.success is True, response
    return response.data


alice, bob = client(ALICE), client(BOB)

group = data(
    create_group.sync(
        client=alice, body=models.CreateGroup(title="Flat", chat_id=-42, currency="EUR")
    )
)
member = data(join_group.sync(group.id, client=bob))
assert member.id == BOB.id, member


def post_rent():
    body = models.CreateExpense(
        amount="90.00", description="Rent", category="rent"
    )
    return data(
        create_expense.sync(
            group.id, client=alice, body=body, idempotency_key=f"rent-{group.id}"
        )
    )


expense = post_rent()
assert post_rent().id == expense.id
assert expense.amount == 90, expense
gas = models.CreateExpense(
    amount=0.000000007,
    currency="TON",
    description="Gas",
    split_type=models.SplitType.EXACT,
    splits=[models.CreateSplit(user_id=ALICE.id, amount="0.000000007")],
)
data(create_expense.sync(group.id, client=bob, body=gas))

debts = data(get_debts.sync(group.id, client=bob))
plan = {
    (transfer.from_user_id, transfer.to_user_id, transfer.amount, transfer.currency)
    for transfer in debts.suggested_settlements
}
assert plan == {
    (ALICE.id, BOB.id, 0.000000007, "TON"),
    (BOB.id, ALICE.id, 45, "EUR"),
}, plan

payment = data(
    create_settlement.sync(
        group.id,
        client=bob,
        body=models.CreateSettlement(to_id=ALICE.id, amount=45, currency="EUR"),
    )
)
assert payment.status == models.SettlementStatus.PENDING, payment
confirmed = data(
    update_settlement.sync(
        group.id,
        payment.id,
        client=alice,
        body=models.UpdateSettlement(status=models.SettlementStatus.COMPLETED),
    )
)
assert confirmed.status == models.SettlementStatus.COMPLETED, confirmed
data(
    create_settlement.sync(
        group.id,
        client=bob,
        body=models.CreateSettlement(
            from_id=ALICE.id, to_id=BOB.id, amount="0.000000007", currency="TON"
        ),
    )
)
settled = data(get_debts.sync(group.id, client=bob, verify=True))
assert settled.suggested_settlements == [], settled
for node in settled.balances:
    assert node.balances.to_dict() == {"EUR": 0, "TON": 0}, node

edited = data(
    edit_expense.sync(
        group.id,
        expense.id,
        client=alice,
        body=models.EditExpense(description="Rent and heating", category=None),
    )
)
assert edited.category is UNSET, edited

descriptions = []
cursor = UNSET
while True:
    page = list_expenses.sync(group.id, client=bob, limit=1, cursor=cursor)
    descriptions += [item.description for item in data(page)]
    cursor = page.pagination.next_cursor
    if cursor is UNSET:
        break
assert descriptions == ["Gas", "Rent and heating"], descriptions

balance = data(get_ledger_balance.sync(group.id, client=bob, user_id=BOB.id))
nets = [(total.currency, total.net) for total in balance.balances]
assert nets == [("EUR", 0), ("TON", 0)], nets
entries = data(
    list_ledger_entries.sync(
        group.id,
        client=bob,
        order=models.ListLedgerEntriesOrder.ASC,
        from_=group.created_at.isoformat(),
    )
)
assert entries[0].entry_id == str(expense.id), entries[0]

file = io.BytesIO(pathlib.Path("docs/examples/splitwise.csv").read_bytes())
members = models.ImportOptionsMembers.from_dict({"Erik Blum": BOB.id})
options = json.dumps(models.ImportOptions(members=members).to_dict())
form = models.ImportForm(file=File(file, "splitwise.csv"), options=options)
plan = data(import_file.sync(group.id, client=alice, body=form))
assert plan.errors == [] and plan.members[1].match.member_id == BOB.id, plan

me = data(get_me.sync(client=bob))
assert me.id == BOB.id, me

refused = get_group.sync_detailed(UNKNOWN_GROUP, client=bob)
assert refused.status_code == 404, refused
assert isinstance(refused.parsed, models.ErrorResponse), refused
assert refused.parsed.error == models.ErrorCode.GROUP_NOT_FOUND, refused
print("openapi-python-client: the group is settled")
