// Has no guard.
namespace faulty {

struct Limits {
    int boxes = 40;
};

}  // namespace faulty
