// The sum to pay. The archive's source includes a private header that lies beside it.
#pragma once

namespace stock {

long invoice(long pence);

}  // namespace stock
