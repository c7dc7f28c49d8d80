"""A group's money from creation to settlement, with the Python client of OpenAPI Generator."""

import pathlib

import fracti_generated as fracti
from demo import ALICE, API, BOB, UNKNOWN_GROUP, User
from fracti_generated.exceptions import NotFoundException


class Client:
    """The operations of the API as one user."""

    def __init__(self, user: User):
        client = fracti.ApiClient(
            fracti.Configuration(
                host=API,
                api_key={"authorization": user.init_data},
                api_key_prefix={"authorization": "tma"},
            )
        )
        self.expenses = fracti.ExpensesApi(client)
        self.groups = fracti.GroupsApi(client)
        self.ledger = fracti.LedgerApi(client)
        self.settlements = fracti.SettlementsApi(client)
        self.transfer = fracti.TransferApi(client)
        self.users = fracti.UsersApi(client)


alice, bob = Client(ALICE), Client(BOB)

group = alice.groups.create_group(
    fracti.CreateGroup(title="Flat", chat_id=fracti.ChatId(-42), currency="EUR")
).data
member = bob.groups.join_group(group.id).data
assert member.id == BOB.id, member


def post_rent():
    body = fracti.CreateExpense(
        amount=fracti.ExpenseAmountInput("90.00"),
        description="Rent",
        category="rent",
    )
    return alice.expenses.create_expense(
        group.id, create_expense=body, idempotency_key=f"rent-{group.id}"
    ).data


expense = post_rent()
assert post_rent().id == expense.id
assert expense.amount == 90, expense
gas = fracti.CreateExpense(
    amount=fracti.ExpenseAmountInput(0.000000007),
    currency="TON",
    description="Gas",
    split_type=fracti.SplitType.EXACT,
    splits=[
        fracti.CreateSplit(
            user_id=ALICE.id, amount=fracti.PartAmountInput("0.000000007")
        )
    ],
)
bob.expenses.create_expense(group.id, create_expense=gas)

debts = bob.settlements.get_debts(group.id).data
plan = {
    (transfer.from_user_id, transfer.to_user_id, transfer.amount, transfer.currency)
    for transfer in debts.suggested_settlements
}
assert plan == {
    (ALICE.id, BOB.id, 0.000000007, "TON"),
    (BOB.id, ALICE.id, 45, "EUR"),
}, plan

payment = bob.settlements.create_settlement(
    group.id,
    create_settlement=fracti.CreateSettlement(
        to_id=ALICE.id, amount=fracti.AmountInput(45), currency="EUR"
    ),
).data
assert payment.status == fracti.SettlementStatus.PENDING, payment
confirmed = alice.settlements.update_settlement(
    group.id,
    payment.id,
    update_settlement=fracti.UpdateSettlement(status=fracti.SettlementStatus.COMPLETED),
).data
assert confirmed.status == fracti.SettlementStatus.COMPLETED, confirmed
bob.settlements.create_settlement(
    group.id,
    create_settlement=fracti.CreateSettlement(
        from_id=ALICE.id,
        to_id=BOB.id,
        amount=fracti.AmountInput("0.000000007"),
        currency="TON",
    ),
)
settled = bob.settlements.get_debts(group.id, verify=True).data
assert settled.suggested_settlements == [], settled
for node in settled.balances:
    assert node.balances == {"EUR": 0, "TON": 0}, node

edited = alice.expenses.edit_expense(
    group.id,
    expense.id,
    edit_expense=fracti.EditExpense(description="Rent and heating", category=None),
).data
assert edited.category is None, edited

descriptions = []
cursor = None
while True:
    page = bob.expenses.list_expenses(group.id, limit=1, cursor=cursor)
    descriptions += [item.description for item in page.data]
    cursor = page.pagination.next_cursor
    if cursor is None:
        break
assert descriptions == ["Gas", "Rent and heating"], descriptions

balance = bob.ledger.get_ledger_balance(group.id, user_id=BOB.id).data
nets = [(total.currency, total.net) for total in balance.balances]
assert nets == [("EUR", 0), ("TON", 0)], nets
entries = bob.ledger.list_ledger_entries(
    group.id, order="asc", var_from=group.created_at.isoformat()
).data
assert entries[0].entry_id == str(expense.id), entries[0]

plan = alice.transfer.import_file(
    group.id,
    ("splitwise.csv", pathlib.Path("docs/examples/splitwise.csv").read_bytes()),
    options=fracti.ImportOptions(members={"Erik Blum": BOB.id}).to_json(),
).data.actual_instance
assert plan.errors == [] and plan.members[1].match.member_id == BOB.id, plan

me = bob.users.get_me().data
assert me.id == BOB.id, me

try:
    bob.groups.get_group(UNKNOWN_GROUP)
except NotFoundException as error:
    assert isinstance(error.data, fracti.ErrorResponse), error
    assert error.data.error == fracti.ErrorCode.GROUP_NOT_FOUND, error
else:
    raise AssertionError("an unknown group was found")
print("OpenAPI Generator for Python: the group is settled")
